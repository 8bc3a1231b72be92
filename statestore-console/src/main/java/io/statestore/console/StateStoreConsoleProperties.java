package io.statestore.console;

import java.util.regex.Pattern;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties for the console.
 *
 * @param path Path of the console in the application.
 * @param insecure Whether an application without Spring Security serves the console.
 * Everyone who can send it a request then reads all keys. Other host names than localhost
 * and IP addresses are refused. Ignored with Spring Security.
 */
@ConfigurationProperties("statestore.console")
record StateStoreConsoleProperties(@DefaultValue("/statestore") String path, boolean insecure) {

	private static final Pattern PATH = Pattern.compile("(/[\\w.-]+)+");

	StateStoreConsoleProperties {
		if (!PATH.matcher(path).matches()) {
			throw new InvalidConfigurationPropertyValueException("statestore.console.path", path,
					"It must begin with a slash and not end with one, such as /statestore");
		}
	}

}
