package io.statestore.sample.room;

import io.statestore.test.BrowserExtension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;

/** Also provides all tests with the same {@link LinePage}. */
final class LineExtension extends BrowserExtension {

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == LinePage.class || super.supportsParameter(parameter, context);
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return (parameter.getParameter().getType() == LinePage.class)
				? shared(context, LinePage.class, () -> LinePage.start(browser(context)))
				: super.resolveParameter(parameter, context);
	}

}
