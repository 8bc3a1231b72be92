package io.statestore.client;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Thrown when a value could not be converted. Either it could not be written as bytes,
 * and nothing was sent, or the stored bytes could not be read as the requested type. The
 * message and the causes never contain the value.
 */
public final class StateStoreConversionException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message what failed, and how to respond
	 */
	public StateStoreConversionException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message what failed, and how to respond
	 * @param cause the cause, {@code null} for none
	 */
	public StateStoreConversionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Returns an exception that replaces a failure whose message may contain the value.
	 * It names the types of the failure and of its innermost cause, and has the innermost
	 * cause's stack trace. For use by converters.
	 * @param detail details that do not reveal the value, for example the line of the
	 * error; may be empty
	 * @param failure the exception that the conversion threw
	 * @return the exception, without a cause
	 */
	public static StateStoreConversionException conceal(String detail, Throwable failure) {
		Throwable origin = NestedExceptionUtils.getMostSpecificCause(failure);
		String types = failure.getClass().getName();
		if (origin != failure) {
			types += " caused by " + origin.getClass().getName();
		}
		StateStoreConversionException result = new StateStoreConversionException(
				types + (detail.isEmpty() ? "" : ", " + detail));
		result.setStackTrace(origin.getStackTrace());
		return result;
	}

}
