package io.statestore.cli;

import java.util.Map;

import picocli.CommandLine.Model.UsageMessageSpec;

/** Exit codes of all commands. */
final class ExitCodes {

	/** The command succeeded. */
	static final int OK = 0;

	/** The key does not exist, or a write's condition is not met. */
	static final int NOT_MET = 1;

	/** An option or argument is invalid. */
	static final int USAGE = 2;

	/** There is no connection, or no state store answers. Nothing was changed. */
	static final int NO_CONNECTION = 3;

	/** The broker or the store refused the command. Nothing was changed. */
	static final int REFUSED = 4;

	/** The command was sent, but no reply arrived. It may have been executed. */
	static final int OUTCOME_UNKNOWN = 5;

	/** Any other failure, such as a file that cannot be written. */
	static final int FAILED = 6;

	/** A signal ended the wait for a lock; the code is the same as in a shell. */
	static final int INTERRUPTED = 130;

	private ExitCodes() {
	}

	/** Returns descriptions of the exit codes for a command's help. */
	static Map<String, String> descriptions() {
		return UsageMessageSpec.keyValuesMap("0:success", "1:the key does not exist, or the condition is not met",
				"2:invalid option or argument", "3:no connection, or no state store answers; nothing was changed",
				"4:refused by the broker or the store; nothing was changed",
				"5:no reply; the command may have been executed", "6:any other failure");
	}

}
