/**
 * A TaskManager in a container of YARN. {@link io.millrace.yarn.worker.YarnTaskManagerProcess} is
 * its main class.
 */
package io.millrace.yarn.worker;
