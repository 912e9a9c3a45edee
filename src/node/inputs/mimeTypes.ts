/** What the API and the container are told of a file by its name; the content of images, PDFs and texts tells more. */
const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  json: 'application/json',
  xml: 'application/xml',
  pdf: 'application/pdf',
  svg: 'image/svg+xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xls: 'application/vnd.ms-excel',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  parquet: 'application/vnd.apache.parquet',
  zip: 'application/zip',
  gz: 'application/gzip',
};

/** By the extension with its dot, in any case; undefined for what is not known. */
export function mimeTypeOf(extension: string): string | undefined {
  const key = extension.slice(1).toLowerCase();
  return Object.hasOwn(types, key) ? types[key] : undefined;
}
