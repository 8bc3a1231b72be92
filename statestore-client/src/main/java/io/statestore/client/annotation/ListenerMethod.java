package io.statestore.client.annotation;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.AnnotatedMethodException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/** Inspects listener methods before any listener starts. */
final class ListenerMethod {

	private static final Set<Class<?>> METADATA = Set.of(Version.class, Key.class, Operation.class,
			MessageHeaders.class);

	private ListenerMethod() {
	}

	/**
	 * Returns the type that values are converted to: the value argument's type, or
	 * {@link Bytes} if the method has no such argument.
	 * @throws AnnotatedMethodException if the method's arguments contradict each other or
	 * do not fit the operations
	 */
	static Type valueType(AnnotatedMethod<StateStoreListener> method, Set<Operation> operations) {
		List<Type> types = new ArrayList<>();
		int values = 0;
		for (ResolvableType type : method.arguments(METADATA)) {
			Class<?> raw = type.resolve(Object.class);
			if (raw == KeyChange.class) {
				types.add(bytesIfUnknown(type.getGeneric(0)));
				continue;
			}
			values++;
			if (Message.class.isAssignableFrom(raw)) {
				types.add(messageType(method, type.as(Message.class).getGeneric(0), operations));
			}
			else {
				requireNullable(method, raw, operations);
				types.add((raw == Optional.class) ? bytesIfUnknown(type.getGeneric(0)) : type.getType());
			}
		}
		if (values > 1) {
			throw method.invalid("has " + values + " arguments for the value. Keep one, and take the rest from a "
					+ "KeyChange, a Version, a Key, or a @Header");
		}
		if (types.stream().map(Type::getTypeName).distinct().count() > 1) {
			throw method.invalid("requires the value as " + types + ". Use the same type in all arguments");
		}
		return types.isEmpty() ? Bytes.class : GenericTypeResolver.resolveType(types.get(0), method.beanType());
	}

	private static Type messageType(AnnotatedMethod<?> method, ResolvableType payload, Set<Operation> operations) {
		if (payload.resolve() == Optional.class) {
			return bytesIfUnknown(payload.getGeneric(0));
		}
		if (operations.contains(Operation.DELETE) && payload.resolve(Object.class) != Object.class) {
			throw method.invalid("is also called when a key is deleted, and a Message always has a payload. Declare "
					+ "Message<Optional<...>>, or set 'operations' to SET");
		}
		return bytesIfUnknown(payload);
	}

	private static void requireNullable(AnnotatedMethod<?> method, Class<?> type, Set<Operation> operations) {
		if (type.isPrimitive() && operations.contains(Operation.DELETE)) {
			throw method.invalid("is also called when a key is deleted, and " + type + " cannot be null. Declare its "
					+ "wrapper class or an Optional, or set 'operations' to SET");
		}
	}

	private static Type bytesIfUnknown(ResolvableType type) {
		return (type.resolve(Object.class) == Object.class) ? Bytes.class : type.getType();
	}

}
