/**
 * Storage of job graphs and jars by their hash. {@link io.millrace.control.blob.BlobStore} is the
 * plug point, {@link io.millrace.control.blob.FileBlobStore}, {@link
 * io.millrace.control.blob.FencedBlobStore} and {@link io.millrace.control.blob.MemoryBlobStore}
 * implement it, and {@link io.millrace.control.blob.BlobServer} serves blobs to TaskManagers in
 * parts.
 */
package io.millrace.control.blob;
