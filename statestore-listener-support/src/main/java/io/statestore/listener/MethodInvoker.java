package io.statestore.listener;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.convert.ConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.validation.Validator;

/**
 * Internal: invokes a listener method with a message's payload and headers, and validates
 * values. Not part of the API. Thread-safe.
 */
public final class MethodInvoker {

	private final Supplier<@Nullable InvocableHandlerMethod> handler;

	private final ValueValidation validation;

	private final String description;

	private MethodInvoker(Supplier<@Nullable InvocableHandlerMethod> handler, ValueValidation validation,
			String description) {
		this.handler = handler;
		this.validation = validation;
		this.description = description;
	}

	/**
	 * Returns a value's validation problems. The problems name the fields and error
	 * codes, but never contain the value, because they are logged.
	 * @param value the value
	 * @return the problems, empty if the value is valid or need not be validated
	 */
	public List<String> problems(Object value) {
		return this.validation.problems(value);
	}

	/**
	 * Invokes the method, unless its bean was garbage collected.
	 * @param message provides the arguments
	 * @return whether the method was invoked; {@code false} if its bean no longer exists
	 * @throws Exception if the method throws an exception
	 */
	public boolean invoke(Message<?> message) throws Exception {
		InvocableHandlerMethod handler = this.handler.get();
		if (handler == null) {
			return false;
		}
		handler.invoke(message);
		return true;
	}

	/**
	 * Returns the class and method names, for messages.
	 */
	@Override
	public String toString() {
		return this.description;
	}

	/** Internal: factory for invokers. Not part of the API. Thread-safe. */
	public static final class Factory {

		private final DefaultMessageHandlerMethodFactory handlers = new DefaultMessageHandlerMethodFactory();

		private final @Nullable Validator validator;

		/**
		 * Creates a factory.
		 * @param conversion converts headers
		 * @param beanFactory resolves expressions in header annotations, and provides the
		 * validator
		 * @param payload resolves all arguments that are not headers
		 */
		public Factory(ConversionService conversion, ConfigurableBeanFactory beanFactory,
				HandlerMethodArgumentResolver payload) {
			this.handlers.setArgumentResolvers(List.of(new HeaderMethodArgumentResolver(conversion, beanFactory),
					new HeadersMethodArgumentResolver(), payload));
			this.handlers.afterPropertiesSet();
			this.validator = beanFactory.getBeanProvider(Validator.class).getIfUnique();
		}

		/**
		 * Creates an invoker.
		 * @param method the listener method
		 * @return the invoker
		 * @throws AnnotatedMethodException if an argument must be validated and there is
		 * not exactly one validator
		 */
		public MethodInvoker create(AnnotatedMethod<?> method) {
			String description = method.beanType().getName() + '.' + method.method().getName();
			return new MethodInvoker(method.weak() ? weak(method) : strong(method),
					ValueValidation.of(method, this.validator), description);
		}

		private Supplier<@Nullable InvocableHandlerMethod> strong(AnnotatedMethod<?> method) {
			InvocableHandlerMethod handler = this.handlers.createInvocableHandlerMethod(method.bean(), method.method());
			return () -> handler;
		}

		private Supplier<@Nullable InvocableHandlerMethod> weak(AnnotatedMethod<?> annotated) {
			WeakReference<Object> reference = new WeakReference<>(annotated.bean());
			Method method = annotated.method();
			return () -> {
				Object bean = reference.get();
				return (bean != null) ? this.handlers.createInvocableHandlerMethod(bean, method) : null;
			};
		}

	}

}
