package io.millrace.connector.jdbc;

import java.io.Serializable;
import javax.sql.XADataSource;

/** Creates the data source of a driver for two-phase commits. */
@FunctionalInterface
public interface XaDataSourceSupplier extends Serializable {
  XADataSource create() throws Exception;
}
