package io.statestore.broker.standalone;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import io.statestore.broker.security.CertificateUsernameField;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter for a certificate field, such as {@code common-name}. */
final class CertificateUsernameFieldConverter implements ITypeConverter<CertificateUsernameField> {

	@Override
	public CertificateUsernameField convert(String value) {
		return Arrays.stream(CertificateUsernameField.values())
			.filter((field) -> text(field).equals(value.toLowerCase(Locale.ROOT)))
			.findFirst()
			.orElseThrow(() -> new TypeConversionException("'" + value + "' is not a field; use one of " + fields()));
	}

	private static String fields() {
		return Arrays.stream(CertificateUsernameField.values())
			.map(CertificateUsernameFieldConverter::text)
			.collect(Collectors.joining(", "));
	}

	private static String text(CertificateUsernameField field) {
		return field.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
