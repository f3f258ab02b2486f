/** The commands about the jobs of a running cluster: list, cancel, explain and timeline. */
package io.millrace.cli.jobs;
