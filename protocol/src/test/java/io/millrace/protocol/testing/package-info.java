/** Gateways that support no call, from which the fakes of other modules' tests are built. */
package io.millrace.protocol.testing;
