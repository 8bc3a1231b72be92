package io.statestore.client.annotation;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListenerEndpoint.Options;
import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.AnnotatedMethodException;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.MethodInvoker;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.util.ObjectUtils;

/**
 * Creates listeners for annotated methods. Its exceptions name the method and the
 * attribute. Thread-safe.
 */
final class ListenerFactory {

	private static final Pattern GLOB = Pattern.compile("[*?\\[]");

	private final ConfigurableBeanFactory beanFactory;

	private final ListenerAttributes attributes;

	private final MethodInvoker.Factory invokers;

	ListenerFactory(ConfigurableBeanFactory beanFactory, ListenerAttributes attributes) {
		this.beanFactory = beanFactory;
		this.attributes = attributes;
		DefaultFormattingConversionService conversion = new DefaultFormattingConversionService();
		conversion.addConverter(Key.class, String.class, Key::toString);
		conversion.addConverter(Version.class, String.class, Version::toString);
		this.invokers = new MethodInvoker.Factory(conversion, beanFactory, new ChangeArgumentResolver());
	}

	/**
	 * Creates a method's listener.
	 * @throws AnnotatedMethodException if the method cannot be a listener as declared
	 */
	StateStoreListenerEndpoint create(AnnotatedMethod<StateStoreListener> method) {
		StateStoreListener annotation = method.annotation();
		if (annotation.operations().length == 0) {
			throw method.invalid(
					"has no 'operations' and would never be called. Remove the attribute to be called for all of them");
		}
		Set<Operation> operations = Set.copyOf(List.of(annotation.operations()));
		Type valueType = ListenerMethod.valueType(method, operations);
		Options options = new Options(operations, annotation.initial(), annotation.noLocal(),
				errorHandler(method, annotation), this.attributes.autoStartup(method, annotation.autoStartup()));
		StateStoreOperations template = this.attributes.bean(method, "template", annotation.template(),
				StateStoreOperations.class);
		List<Key> keys = new ArrayList<>();
		List<String> patterns = new ArrayList<>();
		addKeys(method, annotation, keys, patterns);
		MethodListener listener = new MethodListener(this.invokers.create(method));
		return new StateStoreListenerEndpoint(this.attributes.id(method, annotation.id()), keys, patterns, valueType,
				options, listener, template);
	}

	private @Nullable KeyChangeErrorHandler errorHandler(AnnotatedMethod<?> method, StateStoreListener annotation) {
		KeyChangeErrorHandler errorHandler = this.attributes.bean(method, "errorHandler", annotation.errorHandler(),
				KeyChangeErrorHandler.class);
		return (errorHandler != null) ? errorHandler
				: this.beanFactory.getBeanProvider(KeyChangeErrorHandler.class).getIfUnique();
	}

	private void addKeys(AnnotatedMethod<?> method, StateStoreListener annotation, List<Key> keys,
			List<String> patterns) {
		this.attributes.forEach(method, "keys", annotation.keys(), (expression, value) -> {
			Key key = toKey(method, expression, value);
			if (!(value instanceof CharSequence text) || !GLOB.matcher(text).find()) {
				add(keys, key);
			}
			else {
				requireValid(method, key);
				add(patterns, text.toString());
			}
		});
		if (keys.isEmpty() && patterns.isEmpty()) {
			throw method.invalid("has no 'keys'. Name at least one to watch");
		}
	}

	private static <T> void add(List<T> list, T element) {
		if (!list.contains(element)) {
			list.add(element);
		}
	}

	private static void requireValid(AnnotatedMethod<?> method, Key pattern) {
		try {
			GlobPattern.ofWatch(pattern.bytes());
		}
		catch (ProtocolException ex) {
			throw method
				.invalid("has '" + pattern + "' in 'keys', which is a malformed or too long pattern. Close each "
						+ "'[', and use at most " + GlobPattern.MAX_WATCHED_LENGTH
						+ " bytes. If this is the key itself, use an " + "expression that returns a Key");
		}
	}

	private static Key toKey(AnnotatedMethod<?> method, String expression, @Nullable Object value) {
		Key key;
		try {
			key = toKey(value);
		}
		catch (IllegalArgumentException ex) {
			throw method.invalid("has '" + expression + "' in 'keys', which is not a key: " + ex.getMessage());
		}
		if (key.bytes().length() > Topics.MAX_WATCHABLE_KEY_LENGTH) {
			throw method.invalid("has a key of " + key.bytes().length() + " bytes in 'keys'. Keys of more than "
					+ Topics.MAX_WATCHABLE_KEY_LENGTH + " bytes cannot be watched");
		}
		return key;
	}

	private static Key toKey(@Nullable Object value) {
		if (value instanceof Key key) {
			return key;
		}
		if (value instanceof byte[] array) {
			return Key.of(array);
		}
		if (value instanceof Bytes bytes) {
			return Key.of(bytes);
		}
		if (value instanceof CharSequence text) {
			return Key.of(text.toString());
		}
		throw new IllegalArgumentException(
				"it is " + ObjectUtils.nullSafeClassName(value) + ", not a string, a Key, or bytes");
	}

}
