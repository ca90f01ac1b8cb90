"""The report on a benchmark's runs: tables and charts with intervals, whatever family the sessions are of."""
