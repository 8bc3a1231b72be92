package io.statestore.dafka.cli;

import picocli.CommandLine.ExitCode;

/** Exit codes of the commands, in addition to those of picocli. */
final class ExitCodes {

	/** Failure at run time. */
	static final int FAILED = ExitCode.SOFTWARE;

	/** A consumer cannot determine whether it has read all records. */
	static final int UNKNOWN = 3;

	private ExitCodes() {
	}

}
