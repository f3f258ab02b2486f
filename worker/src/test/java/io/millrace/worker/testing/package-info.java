/** What the worker's tests share: {@link io.millrace.worker.testing.FakeBlobs}. */
package io.millrace.worker.testing;
