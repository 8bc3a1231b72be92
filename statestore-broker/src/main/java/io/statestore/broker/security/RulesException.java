package io.statestore.broker.security;

/**
 * Thrown for an invalid line in a rules file. The message explains how to fix the
 * problem.
 */
final class RulesException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	RulesException(int line, String problem) {
		super("line " + line + ": " + problem);
	}

}
