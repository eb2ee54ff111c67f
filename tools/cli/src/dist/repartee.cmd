@echo off
rem The command repartee on Windows, with the java in JAVA_HOME or on the PATH. It has to be 17 or newer.
rem Options for the JVM: set REPARTEE_OPTS=-Xmx256m
setlocal
rem A program in the current folder must not pass for Java.
set "java="
if defined JAVA_HOME set "JAVA_HOME=%JAVA_HOME:"=%"
if defined JAVA_HOME if exist "%JAVA_HOME%\bin\java.exe" set "java=%JAVA_HOME%\bin\java.exe"
if not defined java for %%I in (java.exe) do set "java=%%~$PATH:I"
if not defined java (
  echo repartee: needs Java 17 or newer, but there is no java in JAVA_HOME or on the PATH. 1>&2
  exit /b 2
)
rem The options keep messages of the JVM off standard output.
"%java%" -Xlog:disable -Xlog:all=warning:stderr -XX:+DisplayVMOutputToStderr %REPARTEE_OPTS% ^
  -jar "%~dp0..\lib\repartee.jar" %*
exit /b %ERRORLEVEL%
