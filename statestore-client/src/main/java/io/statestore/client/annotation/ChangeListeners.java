package io.statestore.client.annotation;

import java.util.List;
import java.util.Map;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.StateStoreConversionException;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.MethodInvoker;
import io.statestore.listener.ValueValidation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.validation.Validator;

/** Factory of listeners that invoke annotated methods. Thread-safe. */
final class ChangeListeners {

	private final MethodInvoker.Factory invokers;

	private final @Nullable Validator validator;

	ChangeListeners(ConfigurableBeanFactory beanFactory, @Nullable Validator validator) {
		DefaultFormattingConversionService conversion = new DefaultFormattingConversionService();
		conversion.addConverter(Key.class, String.class, Key::toString);
		conversion.addConverter(Version.class, String.class, Version::toString);
		this.invokers = new MethodInvoker.Factory(conversion, beanFactory, new ChangeArgumentResolver());
		this.validator = validator;
	}

	/**
	 * Creates a listener.
	 * @throws StateStoreListenerMethodException if the method requires a validator and
	 * there is none
	 */
	KeyChangeListener<Object> create(AnnotatedMethod<StateStoreListener> method) {
		return new MethodListener(this.invokers.create(method),
				ValueValidation.of(method.method(), this.validator, StateStoreListenerMethodException::new));
	}

	private record MethodListener(MethodInvoker invoker,
			ValueValidation validation) implements KeyChangeListener<Object> {

		@Override
		public void onChange(KeyChange<Object> change) throws Exception {
			Object value = change.value();
			List<String> problems = (value != null) ? this.validation.problems(value) : List.of();
			if (!problems.isEmpty()) {
				throw new StateStoreConversionException("The value of key " + change.key() + " (version "
						+ change.version() + ") is not valid: " + problems);
			}
			this.invoker.invoke(new GenericMessage<>(change, headers(change)));
		}

		private static Map<String, Object> headers(KeyChange<?> change) {
			return Map.of(StateStoreHeaders.KEY, change.key(), StateStoreHeaders.VERSION, change.version(),
					StateStoreHeaders.OPERATION, change.operation(), StateStoreHeaders.RESYNCHRONIZED,
					change.resynchronized());
		}

		/** Returns the names of class and method, for messages. */
		@Override
		public String toString() {
			return this.invoker.toString();
		}

	}

}
