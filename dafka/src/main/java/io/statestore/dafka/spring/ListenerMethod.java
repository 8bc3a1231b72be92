package io.statestore.dafka.spring;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.ListenerMethodException;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/** Inspection of listener methods, before any listener starts. */
final class ListenerMethod {

	private static final Set<Class<?>> METADATA = Set.of(DafkaRecord.class, Position.class, TopicPartition.class,
			MessageHeaders.class);

	private ListenerMethod() {
	}

	/**
	 * Returns the type that values are converted to, {@link Bytes} if the method has no
	 * argument for the value.
	 * @throws ListenerMethodException if the arguments contradict each other, or do not
	 * fit {@code batch}
	 */
	static Type valueType(AnnotatedMethod<DafkaListener> method) {
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

	/** Returns the types of the elements of lists with values. */
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
