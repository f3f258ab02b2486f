/**
 * Execution of programs on a cluster. Targets implement {@link
 * io.millrace.api.execution.JobExecutor}; {@link io.millrace.api.execution.ProgramContext} binds
 * one while {@code main} of a program runs, and the program gets a {@link
 * io.millrace.api.execution.JobClient} for each job.
 */
package io.millrace.api.execution;
