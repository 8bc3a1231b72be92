package io.statestore.dafka.spring.listener;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.statestore.dafka.Options;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.spring.DafkaValues;
import io.statestore.dafka.spring.listener.DafkaListenerAnnotationBeanPostProcessor.AnnotatedMethod;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.validation.Validator;

/** Makes endpoints of annotated methods; messages name the method and the attribute. */
final class EndpointFactory {

	private final Set<String> generatedIds = new HashSet<>();

	private final ConfigurableBeanFactory beanFactory;

	private final DafkaValues values;

	private final @Nullable Validator validator;

	EndpointFactory(ConfigurableBeanFactory beanFactory, DafkaValues values, @Nullable Validator validator) {
		this.beanFactory = beanFactory;
		this.values = values;
		this.validator = validator;
	}

	DafkaListenerEndpoint create(AnnotatedMethod annotated) {
		Method method = annotated.method();
		DafkaListener annotation = annotated.annotation();
		Type valueType = ListenerMethod.valueType(method, annotated.beanType(), annotation.batch());
		MethodCall call = new MethodCall(annotated.bean(), method, valueType, annotation.batch(), this.values,
				ValueValidation.of(method, this.validator), this.beanFactory);
		DafkaListenerEndpoint.Options options = new DafkaListenerEndpoint.Options(offsetReset(method, annotation),
				errorHandler(method, annotation), autoStartup(method, annotation));
		return new DafkaListenerEndpoint(id(annotated), topics(method, annotation), options, call);
	}

	private @Nullable OffsetReset offsetReset(Method method, DafkaListener annotation) {
		String text = text(method, "offsetReset", annotation.offsetReset());
		return switch (text.toLowerCase(Locale.ROOT)) {
			case "" -> null;
			case "earliest" -> OffsetReset.EARLIEST;
			case "latest" -> OffsetReset.LATEST;
			default -> throw ListenerMethod.invalid(method,
					"has the 'offsetReset' '" + text + "', which must be earliest or latest");
		};
	}

	private String id(AnnotatedMethod annotated) {
		String id = text(annotated.method(), "id", annotated.annotation().id());
		if (!id.isEmpty()) {
			return id;
		}
		String generated = annotated.beanName() + '.' + annotated.method().getName();
		String unique = generated;
		for (int i = 2; !this.generatedIds.add(unique); i++) {
			unique = generated + '#' + i;
		}
		return unique;
	}

	private boolean autoStartup(Method method, DafkaListener annotation) {
		String text = text(method, "autoStartup", annotation.autoStartup());
		if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
			throw ListenerMethod.invalid(method, "has the 'autoStartup' '" + text + "', which must be true or false");
		}
		return Boolean.parseBoolean(text);
	}

	private DafkaErrorHandler errorHandler(Method method, DafkaListener annotation) {
		String name = text(method, "errorHandler", annotation.errorHandler());
		if (name.isEmpty()) {
			return DafkaErrorHandler.skip();
		}
		try {
			return this.beanFactory.getBean(name, DafkaErrorHandler.class);
		}
		catch (BeansException ex) {
			IllegalStateException invalid = ListenerMethod.invalid(method, "has the 'errorHandler' '" + name
					+ "', which cannot be had. Name a bean of the type DafkaErrorHandler");
			invalid.initCause(ex);
			throw invalid;
		}
	}

	private List<String> topics(Method method, DafkaListener annotation) {
		Set<String> topics = new LinkedHashSet<>();
		for (String expression : annotation.topics()) {
			add(topics, method, expression, evaluate(method, "topics", expression));
		}
		if (topics.isEmpty()) {
			throw ListenerMethod.invalid(method, "has no 'topics'. Name at least one to read");
		}
		return new ArrayList<>(topics);
	}

	private static void add(Set<String> topics, Method method, String expression, @Nullable Object value) {
		if (value instanceof Iterable<?> several) {
			several.forEach((one) -> add(topics, method, expression, one));
		}
		else if (value instanceof Object[] several) {
			add(topics, method, expression, List.of(several));
		}
		else {
			topics.add(toTopic(method, expression, value));
		}
	}

	private static String toTopic(Method method, String expression, @Nullable Object value) {
		try {
			Options.require(value instanceof CharSequence, "topic", String.valueOf(value), "a text");
			String topic = String.valueOf(value);
			Options.topic(topic);
			return topic;
		}
		catch (IllegalArgumentException ex) {
			throw ListenerMethod.invalid(method,
					"has '" + expression + "' in 'topics', which is no topic: " + ex.getMessage());
		}
	}

	private String text(Method method, String attribute, String expression) {
		Object value = expression.isEmpty() ? "" : evaluate(method, attribute, expression);
		return (value != null) ? value.toString() : "";
	}

	private @Nullable Object evaluate(Method method, String attribute, String expression) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(expression);
			if (resolved == null || resolved.contains("${")) {
				throw new IllegalArgumentException("a placeholder is not defined");
			}
			BeanExpressionResolver resolver = this.beanFactory.getBeanExpressionResolver();
			return (resolver != null) ? resolver.evaluate(resolved, new BeanExpressionContext(this.beanFactory, null))
					: resolved;
		}
		catch (IllegalArgumentException | BeansException ex) {
			IllegalStateException invalid = ListenerMethod.invalid(method, "has '" + expression + "' in '" + attribute
					+ "', which cannot be resolved: " + ex.getMessage() + ". Define what it refers to");
			invalid.initCause(ex);
			throw invalid;
		}
	}

}
