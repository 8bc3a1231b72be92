package io.statestore.protocol;

/**
 * The published articles and deployed practice differ in a few replies (protocol section
 * 9). Parsers of this package accept both.
 */
public enum WireForm {

	/** What official clients expect. The default everywhere. */
	PRACTICE,

	/** To the letter of the articles, for clients written to them. */
	ARTICLES

}
