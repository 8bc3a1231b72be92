package io.statestore.dafka;

/**
 * Thrown when the value of an option or argument is invalid. The message names the
 * option, the value, and the valid values.
 */
public final class InvalidOptionException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String option;

	private final String value;

	private final String valid;

	InvalidOptionException(String option, Object value, String valid) {
		super("'" + option + "' is " + value + " but must be " + valid);
		this.option = option;
		this.value = value.toString();
		this.valid = valid;
	}

	/**
	 * Returns the name of the option.
	 * @return the name, as in the class that declares the option
	 */
	public String option() {
		return this.option;
	}

	/**
	 * Returns the invalid value as text.
	 * @return the value
	 */
	public String value() {
		return this.value;
	}

	/**
	 * Returns the reason why the value is invalid, without the name of the option and
	 * without the value.
	 * @return a sentence such as "It must be at least 1."
	 */
	public String reason() {
		return "It must be " + this.valid + ".";
	}

}
