package io.statestore.client.annotation;

import java.util.List;
import java.util.Map;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.StateStoreConversionException;
import io.statestore.listener.MethodInvoker;
import org.springframework.messaging.support.GenericMessage;

/**
 * Listener that invokes an annotated method. Thread-safe.
 *
 * @param invoker invokes the method
 */
record MethodListener(MethodInvoker invoker) implements KeyChangeListener<Object> {

	@Override
	public void onChange(KeyChange<Object> change) throws Exception {
		Object value = change.value();
		List<String> problems = (value != null) ? this.invoker.problems(value) : List.of();
		if (!problems.isEmpty()) {
			throw new StateStoreConversionException("The value of key " + change.key() + " (version " + change.version()
					+ ") is not valid: " + problems);
		}
		this.invoker.invoke(new GenericMessage<>(change,
				Map.of(StateStoreHeaders.KEY, change.key(), StateStoreHeaders.VERSION, change.version(),
						StateStoreHeaders.OPERATION, change.operation(), StateStoreHeaders.RESYNCHRONIZED,
						change.resynchronized())));
	}

	/** Returns the class and method names, for messages. */
	@Override
	public String toString() {
		return this.invoker.toString();
	}

}
