package io.statestore.client.annotation;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.StateStoreListenerAnnotationBeanPostProcessor.AnnotatedMethod;
import io.statestore.client.annotation.StateStoreListenerEndpoint.Options;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.ObjectUtils;
import org.springframework.validation.Validator;

/**
 * Creates endpoints for annotated methods. Its messages name the method and the
 * attribute. Safe for use by several threads.
 */
final class EndpointFactory {

	private static final Pattern GLOB = Pattern.compile("[*?\\[]");

	/** Ids that were generated and are in use. */
	private final Set<String> generatedIds = ConcurrentHashMap.newKeySet();

	private final ConfigurableBeanFactory beanFactory;

	private final ListenerMethodInvoker invoker;

	EndpointFactory(ConfigurableBeanFactory beanFactory, @Nullable Validator validator) {
		this.beanFactory = beanFactory;
		this.invoker = new ListenerMethodInvoker(beanFactory, validator);
	}

	StateStoreListenerEndpoint create(AnnotatedMethod annotated) {
		Method method = annotated.method();
		StateStoreListener annotation = annotated.annotation();
		if (annotation.operations().length == 0) {
			throw ListenerMethod.invalid(method,
					"has no 'operations' and would never be called. Leave the attribute out for all of them");
		}
		Set<Operation> operations = Set.copyOf(List.of(annotation.operations()));
		Type valueType = ListenerMethod.valueType(method, annotated.beanType(), operations);
		Options options = new Options(operations, annotation.initial(), annotation.ignoreOwn(),
				errorHandler(method, annotation), autoStartup(method, annotation));
		List<Key> keys = keys(method, annotation);
		StateStoreOperations template = template(method, annotation);
		KeyChangeListener<Object> listener = annotated.weak()
				? this.invoker.weakListener(new WeakReference<>(annotated.bean()), method)
				: this.invoker.listener(annotated.bean(), method);
		return new StateStoreListenerEndpoint(id(annotated), keys, valueType, options, listener, template);
	}

	/** Makes a generated id available again. */
	void release(String id) {
		this.generatedIds.remove(id);
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

	private boolean autoStartup(Method method, StateStoreListener annotation) {
		String text = text(method, "autoStartup", annotation.autoStartup());
		if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
			throw ListenerMethod.invalid(method, "has the 'autoStartup' '" + text + "', which must be true or false");
		}
		return Boolean.parseBoolean(text);
	}

	private @Nullable KeyChangeErrorHandler errorHandler(Method method, StateStoreListener annotation) {
		String name = text(method, "errorHandler", annotation.errorHandler());
		return name.isEmpty() ? this.beanFactory.getBeanProvider(KeyChangeErrorHandler.class).getIfUnique()
				: bean(method, "errorHandler", name, KeyChangeErrorHandler.class);
	}

	private @Nullable StateStoreOperations template(Method method, StateStoreListener annotation) {
		String name = text(method, "template", annotation.template());
		return name.isEmpty() ? null : bean(method, "template", name, StateStoreOperations.class);
	}

	private <T> T bean(Method method, String attribute, String name, Class<T> type) {
		try {
			return this.beanFactory.getBean(name, type);
		}
		catch (BeansException ex) {
			throw ListenerMethod.invalid(method, "has the '" + attribute + "' '" + name
					+ "', which is not available. Name a bean of the type " + type.getSimpleName(), ex);
		}
	}

	private List<Key> keys(Method method, StateStoreListener annotation) {
		Set<Key> keys = new LinkedHashSet<>();
		for (String expression : annotation.keys()) {
			add(keys, method, expression, evaluate(method, "keys", expression), annotation.literal());
		}
		if (keys.isEmpty()) {
			throw ListenerMethod.invalid(method, "has no 'keys'. Name at least one to observe");
		}
		return new ArrayList<>(keys);
	}

	private static void add(Set<Key> keys, Method method, String expression, @Nullable Object value, boolean literal) {
		if (value instanceof Iterable<?> several) {
			several.forEach((one) -> add(keys, method, expression, one, literal));
		}
		else if (value instanceof Object[] several) {
			for (Object one : several) {
				add(keys, method, expression, one, literal);
			}
		}
		else {
			if (!literal && value instanceof CharSequence text) {
				requireNoPattern(method, text);
			}
			keys.add(toKey(method, expression, value));
		}
	}

	private static void requireNoPattern(Method method, CharSequence text) {
		Matcher glob = GLOB.matcher(text);
		if (glob.find()) {
			throw ListenerMethod.invalid(method, "has '" + text + "' in 'keys', which looks like a pattern because of '"
					+ glob.group()
					+ "', and only single keys can be observed. List the keys, or use an expression that returns them;"
					+ " if this is the key itself, set literal = true");
		}
	}

	private static Key toKey(Method method, String expression, @Nullable Object value) {
		Key key;
		try {
			if (value instanceof Key ready) {
				key = ready;
			}
			else if (value instanceof byte[] array) {
				key = Key.of(array);
			}
			else if (value instanceof Bytes bytes) {
				key = Key.of(bytes);
			}
			else if (value instanceof CharSequence text) {
				key = Key.of(text.toString());
			}
			else {
				throw new IllegalArgumentException(
						"it is " + ObjectUtils.nullSafeClassName(value) + ", not a text, a Key or bytes");
			}
		}
		catch (IllegalArgumentException ex) {
			throw ListenerMethod.invalid(method,
					"has '" + expression + "' in 'keys', which is no key: " + ex.getMessage());
		}
		if (key.bytes().length() > Topics.MAX_OBSERVABLE_KEY_LENGTH) {
			throw ListenerMethod.invalid(method,
					"has a key of " + key.bytes().length() + " bytes in 'keys'. Keys of more than "
							+ Topics.MAX_OBSERVABLE_KEY_LENGTH + " bytes cannot be observed");
		}
		return key;
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
			throw ListenerMethod.invalid(method, "has '" + expression + "' in '" + attribute
					+ "', which cannot be resolved: " + ex.getMessage() + ". Define what it refers to", ex);
		}
	}

}
