package io.statestore.broker.security;

/** Validates principal names, which appear in logs and rules. */
final class PrincipalNames {

	private PrincipalNames() {
	}

	/**
	 * Returns whether a name is valid: not empty, at most
	 * {@value UserFile#MAX_NAME_LENGTH} characters, and without control characters.
	 */
	static boolean isValid(String name) {
		return !name.isEmpty() && name.length() <= UserFile.MAX_NAME_LENGTH
				&& name.codePoints()
					.noneMatch((character) -> Character.isISOControl(character)
							|| Character.getType(character) == Character.SURROGATE);
	}

	/**
	 * Returns the principal with a name.
	 * @param name name of the principal
	 * @param source where the name comes from, for the message
	 * @throws AuthenticationException if the name is not valid
	 */
	static ClientPrincipal principal(String name, String source) throws AuthenticationException {
		if (!isValid(name)) {
			throw new AuthenticationException(source + " is empty, has control characters, or has more than "
					+ UserFile.MAX_NAME_LENGTH + " characters");
		}
		return ClientPrincipal.of(name);
	}

}
