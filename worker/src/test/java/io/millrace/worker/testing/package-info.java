/** Shared fakes of tests: {@link io.millrace.worker.testing.FakeBlobs}. */
package io.millrace.worker.testing;
