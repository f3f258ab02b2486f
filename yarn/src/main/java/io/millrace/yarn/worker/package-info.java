/**
 * A TaskManager in a container of YARN's. {@link io.millrace.yarn.worker.YarnTaskManagerProcess} is
 * its main class.
 */
package io.millrace.yarn.worker;
