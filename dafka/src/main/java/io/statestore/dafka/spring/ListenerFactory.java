package io.statestore.dafka.spring;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.internal.Options;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.ListenerMethodException;
import io.statestore.listener.MethodInvoker;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.support.DefaultFormattingConversionService;

/**
 * Factory of listeners for annotated methods. Its exceptions name the method and the
 * attribute. Thread-safe.
 */
final class ListenerFactory {

	private final ListenerAttributes attributes;

	private final DafkaValues values;

	private final MethodInvoker.Factory invokers;

	ListenerFactory(ConfigurableBeanFactory beanFactory, ListenerAttributes attributes) {
		this.attributes = attributes;
		this.values = new DafkaValues(beanFactory.getBeanProvider(DafkaValueConverter.class).getIfUnique());
		this.invokers = new MethodInvoker.Factory(new DefaultFormattingConversionService(), beanFactory,
				new RecordArgumentResolver());
	}

	/**
	 * Creates the listener of a method.
	 * @throws ListenerMethodException if the method cannot be a listener as declared
	 */
	DafkaListenerEndpoint create(AnnotatedMethod<DafkaListener> method) {
		DafkaListener annotation = method.annotation();
		MethodCall call = new MethodCall(this.invokers.create(method), ListenerMethod.valueType(method),
				annotation.batch(), this.values);
		DafkaListenerEndpoint.Options options = new DafkaListenerEndpoint.Options(offsetReset(method, annotation),
				errorHandler(method, annotation), this.attributes.autoStartup(method, annotation.autoStartup()));
		List<String> topics = topics(method, annotation);
		return new DafkaListenerEndpoint(this.attributes.id(method, annotation.id()), topics, options, call);
	}

	private @Nullable OffsetReset offsetReset(AnnotatedMethod<?> method, DafkaListener annotation) {
		String text = this.attributes.text(method, "offsetReset", annotation.offsetReset());
		return switch (text.toLowerCase(Locale.ROOT)) {
			case "" -> null;
			case "earliest" -> OffsetReset.EARLIEST;
			case "latest" -> OffsetReset.LATEST;
			default -> throw method.invalid("has the 'offsetReset' '" + text + "', which must be earliest or latest");
		};
	}

	private DafkaErrorHandler errorHandler(AnnotatedMethod<?> method, DafkaListener annotation) {
		DafkaErrorHandler errorHandler = this.attributes.bean(method, "errorHandler", annotation.errorHandler(),
				DafkaErrorHandler.class);
		return (errorHandler != null) ? errorHandler : DafkaErrorHandler.skip();
	}

	private List<String> topics(AnnotatedMethod<?> method, DafkaListener annotation) {
		Set<String> topics = new LinkedHashSet<>();
		this.attributes.forEach(method, "topics", annotation.topics(),
				(expression, value) -> topics.add(toTopic(method, expression, value)));
		if (topics.isEmpty()) {
			throw method.invalid("has no 'topics'. Name at least one to read");
		}
		return new ArrayList<>(topics);
	}

	private static String toTopic(AnnotatedMethod<?> method, String expression, @Nullable Object value) {
		try {
			Options.require(value instanceof CharSequence, "topic", String.valueOf(value), "a text");
			String topic = String.valueOf(value);
			Options.topic(topic);
			return topic;
		}
		catch (IllegalArgumentException ex) {
			throw method.invalid("has '" + expression + "' in 'topics', which is not a topic: " + ex.getMessage());
		}
	}

}
