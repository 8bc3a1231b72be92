package io.statestore.cli;

/** Thrown to end a command with a message and an exit code. */
final class CliException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int exitCode;

	/**
	 * Creates an exception.
	 * @param exitCode one of {@link ExitCodes}
	 * @param message what failed and the next step
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
	 * @param valid whether it is valid
	 * @param message what is invalid and the next step
	 * @throws CliException if it is not valid
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
