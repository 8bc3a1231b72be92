package io.statestore.cli;

/** Thrown to end a command with a message and an exit code. */
final class CliException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int exitCode;

	/**
	 * Creates an exception.
	 * @param exitCode one of {@link ExitCodes}
	 * @param message what failed and what to do next
	 */
	CliException(int exitCode, String message) {
		super(message);
		this.exitCode = exitCode;
	}

	/** Returns an exception for an invalid option or argument. */
	static CliException usage(String message) {
		return new CliException(ExitCodes.USAGE, message);
	}

	/**
	 * Checks an option or argument.
	 * @param valid whether the value is valid
	 * @param message what is invalid and what to do
	 * @throws CliException if {@code valid} is {@code false}
	 */
	static void require(boolean valid, String message) {
		if (!valid) {
			throw usage(message);
		}
	}

	int exitCode() {
		return this.exitCode;
	}

}
