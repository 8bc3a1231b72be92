package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.statestore.listener.AnnotatedMethodException;
import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Name of a method's lock: a template with expressions. Immutable. */
final class LockName {

	private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

	private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

	private final String template;

	private final Method method;

	/** Literals and expressions, in template order. */
	private final List<Expression> parts;

	/**
	 * Parses a template.
	 * @throws AnnotatedMethodException if the template is not valid for the method
	 */
	LockName(String template, Method method) {
		this.template = template;
		this.method = method;
		if (template.isBlank()) {
			throw new AnnotatedMethodException(Locked.class, method,
					"has no name for its lock. Set the value of the annotation, for example to \"machine-#{#id}\"",
					null);
		}
		this.parts = parse(template, method);
		Set<String> known = knownVariables(method);
		this.parts.forEach((part) -> requireKnownVariables(part, known));
	}

	private static List<Expression> parse(String template, Method method) {
		try {
			Expression expression = new SpelExpressionParser().parseExpression(template, TEMPLATE);
			return (expression instanceof CompositeStringExpression composite) ? List.of(composite.getExpressions())
					: List.of(expression);
		}
		catch (ParseException ex) {
			throw new AnnotatedMethodException(Locked.class, method,
					"has the name '" + template + "', which cannot be parsed: " + ex.getSimpleMessage()
							+ ". Write expressions as in \"machine-#{#id}\"",
					ex);
		}
	}

	private Set<String> knownVariables(Method method) {
		Set<String> known = new TreeSet<>(Set.of("root", "this"));
		for (int i = 0; i < method.getParameterCount(); i++) {
			known.addAll(Set.of("p" + i, "a" + i));
		}
		@Nullable String[] names = this.names.getParameterNames(method);
		if (names != null) {
			for (String name : names) {
				if (name != null) {
					known.add(name);
				}
			}
		}
		return known;
	}

	private void requireKnownVariables(Expression part, Set<String> known) {
		if (part instanceof SpelExpression expression) {
			requireKnownVariables(expression.getAST(), known);
		}
	}

	private void requireKnownVariables(SpelNode node, Set<String> known) {
		if (node instanceof VariableReference && !known.contains(node.toStringAST().substring(1))) {
			throw new AnnotatedMethodException(Locked.class, this.method,
					"has the name '" + this.template + "', but no parameter '" + node.toStringAST().substring(1) + "'. "
							+ "Use a parameter by its name or position, one of " + known
							+ ", and compile with -parameters to use names",
					null);
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			requireKnownVariables(node.getChild(i), known);
		}
	}

	/**
	 * Returns the lock's name for a call.
	 * @throws IllegalArgumentException if an expression fails, is {@code null}, or is
	 * empty
	 */
	String evaluate(LockedCall call, BeanResolver beans) {
		MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(call, call.method(), call.args(),
				this.names);
		context.setBeanResolver(beans);
		StringBuilder name = new StringBuilder();
		this.parts.forEach((part) -> name.append(evaluate(part, context)));
		return name.toString();
	}

	private String evaluate(Expression part, MethodBasedEvaluationContext context) {
		String text;
		try {
			text = part.getValue(context, String.class);
		}
		catch (ExpressionException ex) {
			throw invalid("'" + part.getExpressionString() + "' failed", ex);
		}
		// Otherwise, all calls without a value would share a lock.
		if (text == null) {
			throw invalid("'" + part.getExpressionString() + "' is null", null);
		}
		if (text.isEmpty()) {
			throw invalid("'" + part.getExpressionString() + "' is empty", null);
		}
		return text;
	}

	private IllegalArgumentException invalid(String problem, @Nullable Exception cause) {
		return new IllegalArgumentException("Method " + this.method.getDeclaringClass().getName() + "."
				+ this.method.getName() + "() was not called: its lock '" + this.template + "' has no name, because "
				+ problem + ". Pass arguments that identify the lock", cause);
	}

}
