package io.statestore.dafka.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.internal.Options;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.MethodInvoker;
import io.statestore.listener.ValueValidation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.validation.Validator;

/**
 * Factory of listeners for annotated methods. Its exceptions name the method and the
 * attribute. Thread-safe.
 */
final class ListenerFactory {

	private final ListenerAttributes attributes;

	private final DafkaValues values;

	private final @Nullable Validator validator;

	private final MethodInvoker.Factory invokers;

	ListenerFactory(ConfigurableBeanFactory beanFactory, ListenerAttributes attributes, DafkaValues values,
			@Nullable Validator validator) {
		this.attributes = attributes;
		this.values = values;
		this.validator = validator;
		this.invokers = new MethodInvoker.Factory(new DefaultFormattingConversionService(), beanFactory,
				new RecordArgumentResolver());
	}

	/**
	 * Creates the listener of a method.
	 * @throws IllegalStateException if the method cannot be a listener as declared
	 */
	DafkaListenerEndpoint create(AnnotatedMethod<DafkaListener> annotated) {
		Method method = annotated.method();
		DafkaListener annotation = annotated.annotation();
		Type valueType = ListenerMethod.valueType(method, annotated.beanType(), annotation.batch());
		MethodCall call = new MethodCall(this.invokers.create(annotated), valueType, annotation.batch(), this.values,
				ValueValidation.of(method, this.validator, ListenerMethod::invalid));
		DafkaListenerEndpoint.Options options = new DafkaListenerEndpoint.Options(offsetReset(method, annotation),
				errorHandler(method, annotation), this.attributes.autoStartup(method, annotation.autoStartup()));
		List<String> topics = topics(method, annotation);
		return new DafkaListenerEndpoint(this.attributes.id(annotated, annotation.id()), topics, options, call);
	}

	private @Nullable OffsetReset offsetReset(Method method, DafkaListener annotation) {
		String text = this.attributes.text(method, "offsetReset", annotation.offsetReset());
		return switch (text.toLowerCase(Locale.ROOT)) {
			case "" -> null;
			case "earliest" -> OffsetReset.EARLIEST;
			case "latest" -> OffsetReset.LATEST;
			default -> throw ListenerMethod.invalid(method,
					"has the 'offsetReset' '" + text + "', which must be earliest or latest");
		};
	}

	private DafkaErrorHandler errorHandler(Method method, DafkaListener annotation) {
		DafkaErrorHandler errorHandler = this.attributes.bean(method, "errorHandler", annotation.errorHandler(),
				DafkaErrorHandler.class);
		return (errorHandler != null) ? errorHandler : DafkaErrorHandler.skip();
	}

	private List<String> topics(Method method, DafkaListener annotation) {
		Set<String> topics = new LinkedHashSet<>();
		this.attributes.forEach(method, "topics", annotation.topics(),
				(expression, value) -> topics.add(toTopic(method, expression, value)));
		if (topics.isEmpty()) {
			throw ListenerMethod.invalid(method, "has no 'topics'. Name at least one to read");
		}
		return new ArrayList<>(topics);
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
					"has '" + expression + "' in 'topics', which is not a topic: " + ex.getMessage());
		}
	}

}
