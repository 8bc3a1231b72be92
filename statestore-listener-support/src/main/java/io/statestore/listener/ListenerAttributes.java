package io.statestore.listener;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Internal: resolves listener annotations' attributes. Its exceptions name the method and
 * the attribute. Not part of the API. Thread-safe.
 */
public final class ListenerAttributes {

	private final ConfigurableBeanFactory beanFactory;

	/** Generated ids in use. */
	private final Set<String> generatedIds = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a resolver.
	 * @param beanFactory resolves placeholders, expressions, and bean names
	 */
	public ListenerAttributes(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Returns a listener's id. By default, it consists of the bean and method names,
	 * followed by a number if that id is in use.
	 * @param method the listener method
	 * @param id value of the {@code id} attribute, may be empty
	 * @return the id
	 */
	public String id(AnnotatedMethod<?> method, String id) {
		String text = text(method, "id", id);
		if (!text.isEmpty()) {
			return text;
		}
		String generated = method.beanName() + '.' + method.method().getName();
		String unique = generated;
		for (int i = 2; !this.generatedIds.add(unique); i++) {
			unique = generated + '#' + i;
		}
		return unique;
	}

	/**
	 * Makes a generated id available again.
	 * @param id the id; ignored if it was not generated
	 */
	public void releaseId(String id) {
		this.generatedIds.remove(id);
	}

	/**
	 * Returns the {@code autoStartup} attribute.
	 * @param method the listener method
	 * @param expression unresolved value of the attribute
	 * @return whether the listener starts with the application
	 */
	public boolean autoStartup(AnnotatedMethod<?> method, String expression) {
		String text = text(method, "autoStartup", expression);
		if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
			throw method.invalid("has the 'autoStartup' '" + text + "', which must be true or false");
		}
		return Boolean.parseBoolean(text);
	}

	/**
	 * Returns the bean that an attribute names.
	 * @param <T> type of the bean
	 * @param method the method
	 * @param attribute name of the attribute
	 * @param expression unresolved value of the attribute, may be empty
	 * @param type type of the bean
	 * @return the bean, {@code null} if the attribute is empty
	 */
	public <T> @Nullable T bean(AnnotatedMethod<?> method, String attribute, String expression, Class<T> type) {
		String name = text(method, attribute, expression);
		if (name.isEmpty()) {
			return null;
		}
		try {
			return this.beanFactory.getBean(name, type);
		}
		catch (BeansException ex) {
			throw method.invalid("has the '" + attribute + "' '" + name
					+ "', which is not available. Name a bean of the type " + type.getSimpleName(), ex);
		}
	}

	/**
	 * Returns an attribute as a string.
	 * @param method the method
	 * @param attribute name of the attribute
	 * @param expression unresolved value of the attribute, may be empty
	 * @return the resolved string, may be empty
	 */
	public String text(AnnotatedMethod<?> method, String attribute, String expression) {
		Object value = expression.isEmpty() ? "" : evaluate(method, attribute, expression);
		return (value != null) ? value.toString() : "";
	}

	/**
	 * Resolves expressions, and passes each value to an action. Elements of collections
	 * and arrays are passed individually.
	 * @param method the method
	 * @param attribute name of the attribute
	 * @param expressions unresolved values of the attribute
	 * @param action accepts an expression and one of the values that it resolves to
	 */
	public void forEach(AnnotatedMethod<?> method, String attribute, String[] expressions,
			BiConsumer<String, @Nullable Object> action) {
		for (String expression : expressions) {
			flatten(expression, evaluate(method, attribute, expression), action);
		}
	}

	private static void flatten(String expression, @Nullable Object value,
			BiConsumer<String, @Nullable Object> action) {
		if (value instanceof Iterable<?> several) {
			several.forEach((one) -> flatten(expression, one, action));
		}
		else if (value instanceof Object[] several) {
			flatten(expression, Arrays.asList(several), action);
		}
		else {
			action.accept(expression, value);
		}
	}

	private @Nullable Object evaluate(AnnotatedMethod<?> method, String attribute, String expression) {
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
			throw method.invalid("has '" + expression + "' in '" + attribute + "', which cannot be resolved: "
					+ ex.getMessage() + ". Define the placeholder or bean it refers to", ex);
		}
	}

}
