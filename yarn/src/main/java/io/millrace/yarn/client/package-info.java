/**
 * Deploys programs on YARN. The targets ({@link io.millrace.yarn.client.YarnPerJobTarget}, {@link
 * io.millrace.yarn.client.YarnApplicationTarget}, {@link
 * io.millrace.yarn.client.YarnSessionTarget}) are found by name and are public only for that. The
 * deployer checks the requirements against the limits of the cluster, stages the files, submits the
 * application and waits until its JobManager runs. A failure before that leaves nothing behind.
 */
package io.millrace.yarn.client;
