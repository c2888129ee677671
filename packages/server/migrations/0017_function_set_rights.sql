-- The service reads every table. A database that had its tables before this one was added did not let it read this one.
GRANT SELECT ON function_set TO atelier_app;
