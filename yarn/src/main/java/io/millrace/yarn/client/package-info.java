/**
 * Brings programs to YARN. The targets ({@link io.millrace.yarn.client.YarnPerJobTarget}, {@link
 * io.millrace.yarn.client.YarnApplicationTarget}, {@link
 * io.millrace.yarn.client.YarnSessionTarget}) are found by name and public for that alone; behind
 * them a deployer checks what is asked against what the cluster can give, stages the files, submits
 * the application and follows it until its JobManager runs. Whatever fails before that leaves
 * nothing behind.
 */
package io.millrace.yarn.client;
