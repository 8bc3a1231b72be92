package io.statestore.dafka.spring;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.internal.Options;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.AnnotatedMethodException;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.MethodInvoker;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * Creates listeners for annotated methods. Its exceptions name the method and the
 * attribute. Thread-safe.
 */
final class ListenerFactory {

	private static final Set<Class<?>> METADATA = Set.of(DafkaRecord.class, Position.class, TopicPartition.class,
			MessageHeaders.class);

	private final ListenerAttributes attributes;

	private final DafkaValues values;

	private final MethodInvoker.Factory invokers;

	ListenerFactory(ConfigurableBeanFactory beanFactory, ListenerAttributes attributes) {
		this.attributes = attributes;
		this.values = new DafkaValues(beanFactory.getBeanProvider(DafkaValueConverter.class).getIfUnique());
		this.invokers = new MethodInvoker.Factory(new DefaultFormattingConversionService(), beanFactory,
				new MethodCall.ArgumentResolver());
	}

	/**
	 * Creates a method's listener.
	 * @throws AnnotatedMethodException if the method cannot be a listener as declared
	 */
	DafkaListenerEndpoint create(AnnotatedMethod<DafkaListener> method) {
		DafkaListener annotation = method.annotation();
		MethodCall call = new MethodCall(this.invokers.create(method), valueType(method), annotation.batch(),
				this.values);
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

	/**
	 * Returns the type that values are converted to; {@link Bytes} if the method has no
	 * argument for the value.
	 * @throws AnnotatedMethodException if the arguments contradict each other or do not
	 * fit {@code batch}
	 */
	private static Type valueType(AnnotatedMethod<DafkaListener> method) {
		List<ResolvableType> values = method.annotation().batch() ? elements(method)
				: method.arguments(METADATA)
					.stream()
					.map((type) -> (type.resolve() == Message.class) ? type.getGeneric(0) : type)
					.toList();
		if (values.size() > 1) {
			throw method.invalid("has " + values.size() + " arguments for the value. Keep one, and take the rest from "
					+ "a DafkaRecord or a @Header");
		}
		return (values.isEmpty() || values.get(0).resolve(Object.class) == Object.class) ? Bytes.class
				: GenericTypeResolver.resolveType(values.get(0).getType(), method.beanType());
	}

	/** Returns the element types of the lists that receive values. */
	private static List<ResolvableType> elements(AnnotatedMethod<DafkaListener> method) {
		List<ResolvableType> lists = method.arguments(Set.of());
		boolean headers = lists.size() < method.method().getParameterCount();
		if (headers || lists.stream().anyMatch((type) -> type.resolve() != List.class)) {
			throw method.invalid("is called with batches and has the arguments "
					+ Arrays.toString(method.method().getGenericParameterTypes())
					+ ". Declare a List of values or a List<DafkaRecord>, or remove 'batch'");
		}
		return lists.stream()
			.map((type) -> type.getGeneric(0))
			.filter((type) -> type.resolve() != DafkaRecord.class)
			.toList();
	}

}
