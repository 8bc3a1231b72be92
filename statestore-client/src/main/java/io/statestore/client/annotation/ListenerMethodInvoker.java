package io.statestore.client.annotation;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.StateStoreConversionException;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.validation.BindingResult;
import org.springframework.validation.FieldError;
import org.springframework.validation.Validator;

/** Makes listeners of methods, with the handler methods of spring-messaging. */
final class ListenerMethodInvoker {

	private final DefaultMessageHandlerMethodFactory factory = new DefaultMessageHandlerMethodFactory();

	ListenerMethodInvoker(@Nullable ConfigurableBeanFactory beanFactory, @Nullable Validator validator) {
		DefaultFormattingConversionService conversion = new DefaultFormattingConversionService();
		conversion.addConverter(Key.class, String.class, Key::toString);
		conversion.addConverter(Version.class, String.class, Version::toString);
		this.factory.setArgumentResolvers(List.of(new HeaderMethodArgumentResolver(conversion, beanFactory),
				new HeadersMethodArgumentResolver(), new ChangeArgumentResolver(validator)));
		this.factory.afterPropertiesSet();
	}

	KeyChangeListener<Object> listener(Object bean, Method method) {
		InvocableHandlerMethod handler = this.factory.createInvocableHandlerMethod(bean, method);
		return new MethodListener(handler);
	}

	/**
	 * Returns a listener that does not keep the bean from being collected, and is silent
	 * once it is.
	 */
	KeyChangeListener<Object> weakListener(WeakReference<Object> bean, Method method) {
		return new WeakMethodListener(bean, method, this);
	}

	private static Map<String, Object> headers(KeyChange<?> change) {
		return Map.of(StateStoreHeaders.KEY, change.key(), StateStoreHeaders.VERSION, change.version(),
				StateStoreHeaders.OPERATION, change.operation(), StateStoreHeaders.RESYNCHRONISED,
				change.resynchronised());
	}

	/** Its own message repeats what it rejects, which has no place in a log. */
	private static StateStoreConversionException notValid(KeyChange<?> change,
			MethodArgumentNotValidException failure) {
		BindingResult result = failure.getBindingResult();
		List<String> problems = (result != null) ? result.getAllErrors()
			.stream()
			.map((error) -> ((error instanceof FieldError field) ? field.getField() : error.getObjectName()) + " ("
					+ error.getCode() + ')')
			.toList() : List.of();
		return new StateStoreConversionException(
				"The value of key " + change.key() + " (version " + change.version() + ") is not valid: " + problems);
	}

	private record WeakMethodListener(WeakReference<Object> bean, Method method,
			ListenerMethodInvoker invoker) implements KeyChangeListener<Object> {

		@Override
		public void onChange(KeyChange<Object> change) throws Exception {
			Object bean = this.bean.get();
			if (bean != null) {
				this.invoker.listener(bean, this.method).onChange(change);
			}
		}

		@Override
		public String toString() {
			return this.method.getDeclaringClass().getName() + '.' + this.method.getName();
		}

	}

	/** Shows itself as the method. */
	private record MethodListener(InvocableHandlerMethod handler) implements KeyChangeListener<Object> {

		@Override
		public void onChange(KeyChange<Object> change) throws Exception {
			try {
				this.handler.invoke(new GenericMessage<>(change, headers(change)));
			}
			catch (MethodArgumentNotValidException ex) {
				throw notValid(change, ex);
			}
		}

		@Override
		public String toString() {
			return this.handler.getBeanType().getName() + '.' + this.handler.getMethod().getName();
		}

	}

}
