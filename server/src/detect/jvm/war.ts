import type { JvmFramework } from './frameworks.ts';

/** Tomcat runs servlets, but not the other parts of Java EE. */
const needsServer = /microprofile|javaee|jakartaee|jakarta\.platform|payara|wildfly|liberty|jboss|weblogic/i;

/** The packages of servlets were renamed for Tomcat 10. */
const renamed = /jakarta\.(?:servlet|faces)|spring-?webmvc\W[^]{0,100}?\b[67]\.\d/;

/** Returns the framework of a WAR that Tomcat can run. */
export const servlets = (build: string): JvmFramework | undefined =>
  needsServer.test(build)
    ? undefined
    : { id: renamed.test(build) ? 'jakarta-servlet' : 'servlet', name: 'Servlets', sign: '', options: '', port: 8080 };

/** Starts Tomcat with the archive as its only app. */
export const tomcat = (archive: string): string =>
  `cp ${archive} /usr/local/tomcat/webapps/ROOT.war && exec catalina.sh run`;

export const warNote =
  'but there is nothing to start: it needs an application server; add a Dockerfile that copies the WAR into the image of one';
