package io.statestore.client;

import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * A value could not be turned into bytes, in which case nothing was sent, or bytes from
 * the store not into a value of the type asked for. Message and causes never contain the
 * value.
 */
public final class StateStoreConversionException extends StateStoreException {

	private static final long serialVersionUID = 1L;

	public StateStoreConversionException(String message) {
		super(message);
	}

	public StateStoreConversionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * For converters: tell of a failure whose own message may repeat the value. Keeps the
	 * types of the exceptions and the stack trace of the innermost.
	 * @param detail what may be told, such as where in the value it happened
	 * @param failure what happened
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
