package io.statestore.broker.security;

/** Thrown for a line of a rules file that is invalid. The message has the next step. */
final class RulesException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	RulesException(int line, String problem) {
		super("line " + line + ": " + problem);
	}

}
