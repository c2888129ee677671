import { writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { SolidModel, SolidPart } from './solid-model.ts';
import { linear } from './write-glb.ts';

/** The format requires each file to start at a multiple of this. */
const ALIGNMENT = 64;
const PADDING_FIELD = 0x1986;
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;

/** A USDZ package: an uncompressed zip of a text scene and its texture, if any. */
export async function writeUsdz(model: SolidModel, path: string): Promise<void> {
  const files: Array<{ name: string; bytes: Buffer }> = [
    { name: 'model.usda', bytes: Buffer.from(describeScene(model)) },
  ];
  if (model.texture) files.push({ name: 'texture.png', bytes: model.texture.png });
  await writeFile(path, storeZip(files));
}

function describeScene(model: SolidModel): string {
  const textured = model.texture !== undefined;
  return `#usda 1.0
(
    defaultPrim = "Root"
    metersPerUnit = 1
    upAxis = "Y"
)

def Xform "Root"
{
${model.parts.map(describeMesh).join('\n')}
    def Scope "Materials"
    {
${model.parts.map((part, index) => describeMaterial(part, index, textured && part.texturePoints !== undefined)).join('\n')}
    }
}
`;
}

function describeMesh({ positions, normals, corners, texturePoints }: SolidPart, index: number): string {
  const points = texturePoints?.map((value, at) => (at % 2 === 1 ? 1 - value : value));
  return `    def Mesh "Part${index}" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        uniform token subdivisionScheme = "none"
        int[] faceVertexCounts = [${new Array(corners.length / 3).fill(3).join(', ')}]
        int[] faceVertexIndices = [${corners.join(', ')}]
        point3f[] points = [${tuples(positions, 3)}]
        normal3f[] normals = [${tuples(normals, 3)}] (
            interpolation = "vertex"
        )
${points ? `        texCoord2f[] primvars:st = [${tuples(points, 2)}] (\n            interpolation = "vertex"\n        )\n` : ''}        rel material:binding = </Root/Materials/Material${index}>
    }`;
}

function describeMaterial({ colour, metallic, roughness }: SolidPart, index: number, textured: boolean): string {
  const at = `/Root/Materials/Material${index}`;
  const plain = `color3f inputs:diffuseColor = (${linear(colour).map(short).join(', ')})`;
  const texture = `
            def Shader "Texture"
            {
                uniform token info:id = "UsdUVTexture"
                asset inputs:file = @texture.png@
                float2 inputs:st.connect = <${at}/Points.outputs:result>
                token inputs:sourceColorSpace = "sRGB"
                float3 outputs:rgb
            }
            def Shader "Points"
            {
                uniform token info:id = "UsdPrimvarReader_float2"
                string inputs:varname = "st"
                float2 outputs:result
            }`;
  return `        def Material "Material${index}"
        {
            token outputs:surface.connect = <${at}/Surface.outputs:surface>
            def Shader "Surface"
            {
                uniform token info:id = "UsdPreviewSurface"
                ${textured ? `color3f inputs:diffuseColor.connect = <${at}/Texture.outputs:rgb>` : plain}
                float inputs:metallic = ${short(metallic)}
                float inputs:roughness = ${short(roughness)}
                token outputs:surface
            }${textured ? texture : ''}
        }`;
}

function tuples(values: Float32Array, size: number): string {
  const all: string[] = [];
  for (let at = 0; at < values.length; at += size)
    all.push(`(${Array.from(values.subarray(at, at + size), short).join(', ')})`);
  return all.join(', ');
}

function short(value: number): string {
  return String(Number(value.toFixed(5)));
}

function storeZip(files: ReadonlyArray<{ name: string; bytes: Buffer }>): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes } of files) {
    const bare = at + LOCAL_HEADER_BYTES + name.length;
    const padding = 4 + ((ALIGNMENT - ((bare + 4) % ALIGNMENT)) % ALIGNMENT);
    const head = Buffer.alloc(LOCAL_HEADER_BYTES + name.length + padding);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(10, 4);
    head.writeUInt16LE(0x21, 12);
    head.writeUInt32LE(crc32(bytes), 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt32LE(bytes.length, 22);
    head.writeUInt16LE(name.length, 26);
    head.writeUInt16LE(padding, 28);
    head.write(name, LOCAL_HEADER_BYTES, 'latin1');
    head.writeUInt16LE(PADDING_FIELD, LOCAL_HEADER_BYTES + name.length);
    head.writeUInt16LE(padding - 4, LOCAL_HEADER_BYTES + name.length + 2);
    const entry = Buffer.alloc(CENTRAL_HEADER_BYTES + name.length);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(10, 4);
    head.copy(entry, 6, 4, 28);
    entry.writeUInt32LE(at, 42);
    entry.write(name, CENTRAL_HEADER_BYTES, 'latin1');
    directory.push(entry);
    pieces.push(head, bytes);
    at += head.length + bytes.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(
    directory.reduce((sum, entry) => sum + entry.length, 0),
    12,
  );
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, ...directory, end]);
}
