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
 * Internal: invoker of a listener method with the payload and headers of a message, which
 * also validates values. Not part of the API. Thread-safe.
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
	 * Returns the problems of a value. They name the fields and error codes, but never
	 * contain the value, because they are logged.
	 * @param value the value
	 * @return the problems, empty if the value is valid or not to be validated
	 */
	public List<String> problems(Object value) {
		return this.validation.problems(value);
	}

	/**
	 * Invokes the method, unless its bean was garbage collected.
	 * @param message the message
	 * @return whether the bean still existed, so that the method was invoked
	 * @throws Exception if the method throws it
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
	 * Returns the names of class and method, for messages.
	 */
	@Override
	public String toString() {
		return this.description;
	}

	/** Internal: factory of invokers. Not part of the API. Thread-safe. */
	public static final class Factory {

		private final DefaultMessageHandlerMethodFactory handlers = new DefaultMessageHandlerMethodFactory();

		private final @Nullable Validator validator;

		/**
		 * Creates a factory.
		 * @param conversion conversion of headers
		 * @param beanFactory resolves expressions in header annotations, and has the
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
		 * @param method the method
		 * @return the invoker
		 * @throws AnnotatedMethodException if an argument is to be validated and there is
		 * no unique validator
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
