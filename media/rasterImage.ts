/** Only the raster formats that the host sniffs; nothing that could carry script or load more. */
export function rasterImage(uri: string | undefined): string | undefined {
  return uri && /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i.test(uri) ? uri : undefined;
}
