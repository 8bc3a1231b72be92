package io.statestore.sample;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param name what this machine is called in the store; the name of the host by default
 * @param setPoint the CPU load in percent above which a machine is called hot, written to
 * the store by the first sample that starts
 */
@ConfigurationProperties("sample")
record SampleProperties(String name, double setPoint) {

	SampleProperties(@Nullable String name, @DefaultValue("80") double setPoint) {
		this.name = (name != null && !name.isBlank()) ? name : hostName();
		this.setPoint = setPoint;
		if (this.name.indexOf('/') >= 0) {
			throw new IllegalArgumentException(
					"'sample.name' must not contain '/': it is one part of the key machines/{name}/cpu");
		}
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

}
