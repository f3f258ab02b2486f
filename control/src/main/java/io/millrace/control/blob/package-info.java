/**
 * Where job graphs and jars are kept, named by their hash. {@link
 * io.millrace.control.blob.BlobStore} is the plug point, {@link
 * io.millrace.control.blob.FileBlobs}, {@link io.millrace.control.blob.FencedBlobStore} and {@link
 * io.millrace.control.blob.MemoryBlobs} fill it, and {@link io.millrace.control.blob.BlobServer}
 * hands blobs to TaskManagers part by part.
 */
package io.millrace.control.blob;
