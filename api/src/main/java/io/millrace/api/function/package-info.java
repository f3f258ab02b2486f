/**
 * The functions a program writes. All are serialisable, because they travel to the TaskManagers as
 * bytes and are opened there in the job's own class loader.
 */
package io.millrace.api.function;
