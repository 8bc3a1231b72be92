package io.statestore.broker.certificates;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;

/** Encodes ASN.1 values in DER (ITU-T X.690), as far as certificates need them. */
final class Der {

	private static final int INTEGER = 0x02;

	private static final int BIT_STRING = 0x03;

	private static final int OCTET_STRING = 0x04;

	private static final int OBJECT_IDENTIFIER = 0x06;

	private static final int UTC_TIME = 0x17;

	private static final int GENERALIZED_TIME = 0x18;

	private static final int SEQUENCE = 0x30;

	private static final int LONG_FORM = 0x80;

	/**
	 * Last year that RFC 5280 encodes as UTCTime. Later years require GeneralizedTime.
	 */
	private static final int LAST_UTC_YEAR = 2049;

	private Der() {
	}

	/** Encodes a value with its tag and length. */
	static byte[] encode(int tag, byte[] content) {
		ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 6);
		out.write(tag);
		if (content.length < LONG_FORM) {
			out.write(content.length);
		}
		else {
			byte[] length = BigInteger.valueOf(content.length).toByteArray();
			int start = (length[0] == 0) ? 1 : 0;
			out.write(LONG_FORM | (length.length - start));
			out.write(length, start, length.length - start);
		}
		out.writeBytes(content);
		return out.toByteArray();
	}

	static byte[] sequence(byte[]... values) {
		return encode(SEQUENCE, concatenate(values));
	}

	static byte[] concatenate(byte[]... values) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		for (byte[] value : values) {
			out.writeBytes(value);
		}
		return out.toByteArray();
	}

	static byte[] integer(BigInteger value) {
		return encode(INTEGER, value.toByteArray());
	}

	/** Encodes a bit string whose last byte ends with unused bits. */
	static byte[] bitString(int unusedBits, byte... bits) {
		return encode(BIT_STRING, concatenate(new byte[] { (byte) unusedBits }, bits));
	}

	static byte[] octetString(byte[] content) {
		return encode(OCTET_STRING, content);
	}

	static byte[] trueValue() {
		return new byte[] { 0x01, 0x01, (byte) 0xFF };
	}

	/** Encodes an object identifier, which is given in hexadecimal. */
	static byte[] objectIdentifier(String hex) {
		return encode(OBJECT_IDENTIFIER, HexFormat.of().parseHex(hex));
	}

	/**
	 * Encodes a time with a precision of seconds, as the type that RFC 5280 requires for
	 * its year.
	 */
	static byte[] time(Instant time) {
		ZonedDateTime utc = time.atZone(ZoneOffset.UTC);
		boolean early = utc.getYear() <= LAST_UTC_YEAR;
		String text = DateTimeFormatter.ofPattern(early ? "yyMMddHHmmss'Z'" : "yyyyMMddHHmmss'Z'", Locale.ROOT)
			.format(utc);
		return encode(early ? UTC_TIME : GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
	}

}
