package io.statestore.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Exit codes of all commands. */
final class ExitCodes {

	/** The command succeeded. */
	static final int OK = 0;

	/** The key does not exist, or the condition of a write is not met. */
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

	/** A signal ended the wait for a lock, as in a shell. */
	static final int INTERRUPTED = 130;

	private static final List<String> DESCRIPTIONS = List.of("success",
			"the key does not exist, or the condition is not met", "invalid option or argument",
			"no connection, or no state store answers; nothing was changed",
			"refused by the broker or the store; nothing was changed", "no reply; the command may have been executed",
			"any other failure");

	private ExitCodes() {
	}

	/** Returns the descriptions of the exit codes for the help of a command. */
	static Map<String, String> descriptions() {
		Map<String, String> descriptions = new LinkedHashMap<>();
		for (String text : DESCRIPTIONS) {
			descriptions.put(String.valueOf(descriptions.size()), text);
		}
		return descriptions;
	}

}
