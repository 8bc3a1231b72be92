package io.statestore.dafka.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

/** Inspection of listener methods, before any listener starts. */
final class ListenerMethod {

	private static final Set<Class<?>> METADATA = Set.of(DafkaRecord.class, Position.class, TopicPartition.class,
			MessageHeaders.class);

	private ListenerMethod() {
	}

	/**
	 * Returns the type that values are converted to, {@link Bytes} if the method has no
	 * argument for the value.
	 * @throws IllegalStateException if the arguments contradict each other, or do not fit
	 * {@code batch}
	 */
	static Type valueType(Method method, Class<?> beanType, boolean batch) {
		List<Type> types = new ArrayList<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			MethodParameter parameter = new MethodParameter(method, i).withContainingClass(beanType);
			ResolvableType type = ResolvableType.forMethodParameter(parameter);
			if (batch) {
				if (type.resolve() != List.class || isHeader(parameter)) {
					throw invalid(method, "is called with batches and has the argument " + type
							+ ". Declare a List of values or a List<DafkaRecord>, or remove 'batch'");
				}
				if (type.getGeneric(0).resolve() != DafkaRecord.class) {
					types.add(bytesIfUnknown(type.getGeneric(0)));
				}
			}
			else if (!isHeader(parameter) && !METADATA.contains(parameter.getParameterType())) {
				types
					.add((type.resolve() == Message.class) ? bytesIfUnknown(type.getGeneric(0)) : bytesIfUnknown(type));
			}
		}
		if (types.size() > 1) {
			throw invalid(method, "has " + types.size() + " arguments for the value. Keep one, and take the rest from "
					+ "a DafkaRecord or a @Header");
		}
		return types.isEmpty() ? Bytes.class : GenericTypeResolver.resolveType(types.get(0), beanType);
	}

	private static boolean isHeader(MethodParameter parameter) {
		return parameter.hasParameterAnnotation(Header.class) || parameter.hasParameterAnnotation(Headers.class);
	}

	private static Type bytesIfUnknown(ResolvableType type) {
		return (type.resolve(Object.class) == Object.class) ? Bytes.class : type.getType();
	}

	static IllegalStateException invalid(Method method, String problem) {
		return invalid(method, problem, null);
	}

	static IllegalStateException invalid(Method method, String problem, @Nullable Throwable cause) {
		return new IllegalStateException("@DafkaListener method " + method.getDeclaringClass().getName() + '.'
				+ method.getName() + ' ' + problem, cause);
	}

}
