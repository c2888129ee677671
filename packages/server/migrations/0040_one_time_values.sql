-- Finds the password links and half-finished sign-ins of a person, whose id is their value. Other values are longer or shorter.
CREATE INDEX person_verification_of_person ON person_verification (value) WHERE length(value) = 36;
